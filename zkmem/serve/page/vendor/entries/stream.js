// What the page's own code takes from eventsource-parser.
export { createParser } from 'eventsource-parser';
