// What the frame of diagrams takes from Mermaid.
export { default as mermaid } from 'mermaid';
