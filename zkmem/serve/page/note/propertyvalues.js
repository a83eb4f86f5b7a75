// The values of properties by their types, which are those of Obsidian.

/**
 * @import { Note } from '../messages.d.ts'
 * @typedef {Note['values'][number]} Property
 * @typedef {Property['type']} Type
 * @typedef {NonNullable<Property['value']>} PropertyValue
 */

/** @type {Record<Type, string>} */
export const TYPES = {
  text: 'Text',
  list: 'List',
  number: 'Number',
  checkbox: 'Checkbox',
  date: 'Date',
  datetime: 'Date and time',
  tags: 'Tags',
  aliases: 'Aliases',
  other: 'Other',
};

const OF_NAME = /** @type {Record<string, Type>} */ ({
  tags: 'tags',
  tag: 'tags',
  aliases: 'aliases',
  alias: 'aliases',
});
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?$/;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)$/;

/** Return the types that a property of this name can have; its name decides that of tags and aliases. */
export const typesFor = (/** @type {string} */ name) => {
  const own = OF_NAME[name.trim().toLowerCase()];
  return own ? [own] : /** @type {Type[]} */ (['text', 'list', 'number', 'checkbox', 'date', 'datetime']);
};

export const isList = (/** @type {Type} */ type) => type === 'list' || type === 'tags' || type === 'aliases';

/** Return an item of a list as it is written: a tag has no `#`, and no blanks inside. */
export const itemOf = (/** @type {Type} */ type, /** @type {string} */ written) =>
  type === 'tags' ? written.trim().replace(/^#+/, '').replace(/\s+/g, '-') : written.trim();

/**
 * Return the value that a person wrote in a field of this type; `undefined` if it cannot have this type.
 * @param {Type} type
 * @param {string} written
 * @returns {PropertyValue | undefined}
 */
export function valueOf(type, written) {
  const text = written.trim();
  if (isList(type)) return [itemOf(type, text)].filter(Boolean);
  if (type === 'text' || !text) return written;
  if (type === 'number') return NUMBER.test(text) ? Number(text) : undefined;
  if (type === 'checkbox') return { true: true, false: false }[text];
  const [, day, hour] = DATE.exec(text) ?? [];
  if (!day) return undefined;
  return type === 'date' ? day : `${day}T${hour ?? '00:00'}`;
}

/**
 * Return a value as one of another type; `undefined` if it would be lost.
 * @param {PropertyValue} value
 * @param {Type} type
 * @returns {PropertyValue | undefined}
 */
export function converted(value, type) {
  if (Array.isArray(value)) {
    if (isList(type)) return value;
    return value.length > 1 && type !== 'text' ? undefined : converted(value.join(', '), type);
  }
  if (isList(type)) return value === '' ? [] : [value];
  if (value === '' && type === 'checkbox') return false;
  return valueOf(type, String(value));
}
