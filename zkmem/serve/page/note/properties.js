// The properties of a note: texts, links, tags, addresses and files. Each is edited in place, by its type.
import { html, useId, useLayoutEffect, useRef, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { openFile } from './files.js';
import { InUse } from './inuse.js';
import { ErrorMessage } from '../common/load.js';
import { Menu } from '../common/menu.js';
import { useElement } from '../common/refs.js';
import { toast } from '../common/toasts.js';
import { isTyping } from '../common/typing.js';
import { linkHash, tagHash } from '../navigation.js';
import { TYPES, converted, isList, itemOf, typesFor, valueOf } from './propertyvalues.js';

/**
 * @import { Note, PropertiesRequest, PropertiesSet } from '../messages.d.ts'
 * @import { Property, PropertyValue, Type } from './propertyvalues.js'
 * @typedef {Property['items'][number]} Item
 * @typedef {Pick<PropertiesRequest, 'properties' | 'renames'>} Change
 * @typedef {{ current: string }} Seen the etag of the text with the values that a field shows; "" for the newest one
 * @typedef {(change: Change, seen?: Seen) => Promise<boolean>} Make makes a change; it answers whether it was made
 */

/** @type {Partial<Record<Type, string>>} */
const FIELDS = { text: 'text', number: 'number', date: 'date', datetime: 'datetime-local' };

/** @param {{ values: Property[] }} props */
export function Properties({ values }) {
  if (!values.length) return null;
  return html`<${Table} rows=${values.map(
    (one) => html`<tr key=${one.key}><th scope="row" dir="auto">${one.key}</th>
      <td dir="auto"><${Values} ...${one} /></td></tr>`,
  )} />`;
}

/** @param {{ rows: unknown[] }} props */
const Table = ({ rows }) => html`<table class="properties">
  <caption class="unseen">Properties</caption>
  <tbody>${rows}</tbody>
</table>`;

/**
 * The properties of a note that the person may change.
 * @param {{ note: Note, onSaved: (saved: PropertiesSet) => void, again: () => void,
 *   isWriting: { current: boolean } }} props `isWriting` says while a change is being saved
 */
export function EditableProperties({ note, onSaved, again, isWriting }) {
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [isAdding, setAdding] = useState(false);
  const etag = useRef(note.etag); // of the values that the person saw or wrote
  const last = useRef(Promise.resolve(true));
  const renamed = useRef(''); // its row gets the focus
  const add = useElement(HTMLButtonElement);
  useLayoutEffect(() => {
    etag.current = note.etag;
  }, [note.etag]);
  const makeNow = async (/** @type {Change} */ change, seen = { current: '' }) => {
    isWriting.current = true;
    try {
      const saved = await api.setProperties({ names: [note.name], etag: seen.current || etag.current, ...change });
      etag.current = saved.etag || etag.current;
      seen.current = etag.current;
      for (const remark of saved.remarks) toast(remark);
      setError(null);
      onSaved(saved);
      return true;
    } catch (failure) {
      setError(/** @type {Error} */ (failure));
      seen.current = ''; // the person is told, and may insist
      again(); // somebody else may have changed the property
      return false;
    } finally {
      isWriting.current = false;
    }
  };
  /** @type {Make} */
  const make = (change, seen) => (last.current = last.current.then(() => makeNow(change, seen)));
  const rename = async (/** @type {string} */ key, /** @type {string} */ to) => {
    renamed.current = to;
    return make({ renames: { [key]: to } });
  };
  const remove = async (/** @type {string} */ key) => {
    if (!(await make({ properties: { [key]: null } }))) return;
    toast(`The property ${key} is removed.`);
    add.current.focus();
  };
  const rows = note.values.map(
    (one) => html`<${Row} key=${one.key} property=${one} etag=${note.etag} make=${make} rename=${rename}
      remove=${remove} focus=${one.key === renamed.current} fail=${setError} />`,
  );
  return html`${rows.length > 0 && html`<${Table} rows=${rows} />`}
    <${ErrorMessage} error=${error} />
    ${
      isAdding
        ? html`<${Add} known=${note.values.map(({ key }) => key.toLowerCase())} make=${make}
            close=${() => setAdding(false)} />`
        : html`<button type="button" class="plain add-property" ref=${add}
            onClick=${() => setAdding(true)}>Add property</button>`
    }`;
}

/**
 * @param {{ property: Property, etag: string, make: Make, rename: (key: string, to: string) => Promise<boolean>,
 *   remove: (key: string) => void, focus: boolean, fail: (error: Error | null) => void }} props
 */
function Row({ property, etag, make, rename, remove, focus, fail }) {
  const { key, type, value, items } = property;
  const [open, setOpen] = useState(/** @type {'name' | Type | null} */ (null)); // the field that is open
  const row = useElement(HTMLTableRowElement);
  const before = useRef(/** @type {typeof open} */ (focus ? 'name' : null));
  useLayoutEffect(() => {
    const next = row.current.querySelector(before.current === 'name' ? 'th button' : 'td :is(button, input)');
    if (!open && before.current && !isTyping() && next instanceof HTMLElement) next.focus({ preventScroll: true });
    before.current = open;
  }, [open]);
  const seen = useRef(''); // of the open field, which keeps its value when the note is loaded anew
  const openValue = (/** @type {Type} */ field) => {
    seen.current = etag;
    setOpen(field);
  };
  const set = async (/** @type {PropertyValue} */ next) =>
    make({ properties: { [key]: next } }, open ? seen : undefined);
  const setAndClose = async (/** @type {PropertyValue} */ next) => {
    const isSet = await set(next);
    if (isSet) setOpen(null);
    return isSet;
  };
  const choose = (/** @type {Type} */ next) => {
    const same = value === null ? undefined : converted(value, next);
    if (same !== undefined && same !== '') return set(same);
    if (value === '') return openValue(next);
    return fail(new Error(`“${items[0]?.text ?? ''}” cannot become: ${TYPES[next]}. Change the value first.`));
  };
  const types = type === 'other' ? [] : typesFor(key).filter((one) => one !== type);
  const groups = [
    ...(types.length > 1
      ? [
          {
            items: [type, ...types].map((one) => ({ text: TYPES[one], checked: one === type, act: () => choose(one) })),
          },
        ]
      : []),
    {
      items: [
        { text: 'Rename…', act: () => setOpen('name') },
        { text: 'Remove', danger: true, act: () => remove(key) },
      ],
    },
  ];
  const close = () => setOpen(null);
  const save = async (/** @type {string} */ written) => {
    const to = written.trim();
    const isDone = !to || to === key || (await rename(key, to));
    if (isDone) close();
    return isDone;
  };
  return html`<tr ref=${row}>
    <th scope="row" dir="auto">${
      open === 'name'
        ? html`<${Field} label=${`New name of ${key}`} type="text" text=${key} of="" save=${save}
            cancel=${close} />`
        : html`<${Menu} label=${`Property ${key}`} groups=${groups}>${key}<//>`
    }</th>
    <td dir="auto">${
      open && open !== 'name'
        ? html`<${ValueField} label=${key} type=${open} value=${open === type ? value : ''} set=${set}
            setAndClose=${setAndClose} close=${close} />`
        : html`<${Shown} property=${property} set=${set} edit=${() => openValue(type)} />`
    }</td>
  </tr>`;
}

/**
 * A value as it is read, with what begins to edit it.
 * @param {{ property: Property, set: (value: PropertyValue) => void, edit: () => void }} props
 */
function Shown({ property, set, edit }) {
  const { key, type, value, items } = property;
  if (type === 'other') return html`<${Values} ...${property} />`;
  if (type === 'checkbox')
    return html`<input type="checkbox" aria-label=${key} checked=${value} onChange=${() => set(!value)} />`;
  const isPlain = !isList(type) && items.every(({ kind }) => kind === 'text');
  const text = isPlain ? items.map((item) => item.text).join() : '';
  const label = `Edit ${key}: ${items.map((item) => item.text).join(', ') || 'empty'}`;
  return html`${!isPlain && html`<${Values} ...${property} />`}
    <button type="button" class="cell" aria-label=${label} title="Edit" onClick=${edit}>${
      text || (isPlain ? html`<span class="quiet">empty</span>` : '✎')
    }</button>`;
}

/**
 * @param {{ label: string, type: Type, value: Property['value'], set: (value: PropertyValue) => Promise<boolean>,
 *   setAndClose: (value: PropertyValue) => Promise<boolean>, close: () => void }} props
 */
function ValueField({ label, type, value, set, setAndClose, close }) {
  if (isList(type))
    return html`<${ListField} label=${label} type=${type} items=${Array.isArray(value) ? value : []} set=${set}
      close=${close} />`;
  const save = (/** @type {string} */ written) => {
    const next = valueOf(type, written);
    return next === undefined || String(next) === String(value) ? close() : setAndClose(next);
  };
  const text = type === 'datetime' ? String(value).replace(' ', 'T') : String(value);
  return html`<${Field} label=${label} type=${FIELDS[type]} text=${text}
    of=${type === 'text' ? label : undefined} save=${save} cancel=${close} />`;
}

/**
 * A field of one line. Enter and leaving it save, Escape does not. `save` may answer false: the field stays open. With
 * `of`, it suggests values of this property; with an empty one, names of properties.
 * @param {{ label: string, type?: string, text: string, of?: string, save: (text: string) => unknown,
 *   cancel: () => void }} props
 */
export function Field({ label, type = 'text', text, of, save, cancel }) {
  const [typed, setTyped] = useState('');
  const list = useId();
  const input = useElement(HTMLInputElement);
  const finished = useRef(false); // a field that is removed loses the focus, too
  useLayoutEffect(() => {
    input.current.focus(); // at once: the next key belongs to the field
    input.current.select();
  }, []);
  const finish = async (/** @type {boolean} */ isSaved) => {
    if (finished.current || (isSaved && !input.current.reportValidity())) return;
    finished.current = true;
    if (!isSaved) cancel();
    else finished.current = (await save(input.current.value)) !== false;
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    finish(event.key === 'Enter');
  };
  return html`<input ref=${input} aria-label=${label} type=${type} step="any" dir="auto" defaultValue=${text}
      autocomplete="off" list=${of === undefined ? undefined : list} onKeyDown=${onKeyDown}
      onInput=${() => setTyped(input.current.value)} onBlur=${() => finish(true)} />
    ${of !== undefined && html`<${InUse} id=${list} typed=${typed} of=${of} />`}`;
}

/**
 * The items of a list, each with a button that removes it, and a field that adds one.
 * @param {{ label: string, type: Type, items: (string | number | boolean)[],
 *   set: (value: PropertyValue) => Promise<boolean>, close: () => void }} props
 */
function ListField({ label, type, items: before, set, close }) {
  const [items, setItems] = useState(before);
  const [typed, setTyped] = useState('');
  const list = useId();
  const box = useElement(HTMLDivElement);
  const input = useElement(HTMLInputElement);
  useLayoutEffect(() => input.current.focus(), []);
  const change = async (/** @type {typeof items} */ next) => {
    input.current.focus();
    setItems(next);
    if (!(await set(next))) close(); // the person sees what the property has now
  };
  const add = () => {
    const item = itemOf(type, input.current.value);
    input.current.value = '';
    setTyped('');
    if (item && !items.includes(item)) change([...items, item]);
    return Boolean(item);
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    const isEmpty = event.target === input.current && !input.current.value;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === input.current) add() || close();
    else if (event.key === 'Backspace' && isEmpty && items.length) change(items.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = (/** @type {FocusEvent} */ { relatedTarget }) => {
    const isRemoved = !box.current?.isConnected; // Escape has closed the list
    if (isRemoved || (relatedTarget instanceof Node && box.current.contains(relatedTarget))) return;
    add();
    close();
  };
  return html`<div class="items" ref=${box} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <ul class="values">
      ${items.map(
        (item, at) => html`<li key=${`${at} ${item}`} dir="auto">${String(item)}
          <button type="button" aria-label=${`Remove ${item}`} title="Remove"
            onClick=${() => change(items.filter((_, other) => other !== at))}>×</button></li>`,
      )}
    </ul>
    <input ref=${input} aria-label=${`Add to ${label}`} placeholder="Add…" dir="auto" autocomplete="off" list=${list}
      onInput=${() => setTyped(input.current.value)} />
    <${InUse} id=${list} typed=${typed} of=${label} />
  </div>`;
}

/**
 * The form for a new property.
 * @param {{ known: string[], make: Make, close: () => void }} props
 */
function Add({ known, make, close }) {
  const [name, setName] = useState('');
  const [chosen, setType] = useState(/** @type {Type} */ ('text'));
  const [written, setWritten] = useState('');
  const [isTrue, setTrue] = useState(false);
  const [names, values] = [useId(), useId()];
  const first = useElement(HTMLInputElement);
  useLayoutEffect(() => first.current.focus(), []);
  const types = typesFor(name);
  const type = types.includes(chosen) ? chosen : types[0];
  const isTaken = known.includes(name.trim().toLowerCase());
  const value = type === 'checkbox' ? isTrue : valueOf(type, written);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (value !== undefined && !isTaken && (await make({ properties: { [name.trim()]: value } }))) close();
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return html`<form class="new-property" aria-label="New property" onSubmit=${submit} onKeyDown=${onKeyDown}>
    <label>Name <input ref=${first} required value=${name} autocomplete="off" dir="auto" list=${names}
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setName(currentTarget.value)}
      /></label>
    <label>Type <select value=${type} disabled=${types.length < 2}
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
        setType(/** @type {Type} */ (currentTarget.value))}>
      ${types.map((one) => html`<option key=${one} value=${one}>${TYPES[one]}</option>`)}
    </select></label>
    ${
      type === 'checkbox'
        ? html`<label>Checked <input type="checkbox" checked=${isTrue} onChange=${() => setTrue(!isTrue)} /></label>`
        : html`<label>Value <input key=${type} type=${FIELDS[type] ?? 'text'} step="any" dir="auto" value=${written}
            autocomplete="off" list=${type === 'text' || isList(type) ? values : undefined}
            onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
              setWritten(currentTarget.value)} /></label>`
    }
    <button type="submit" class="primary">Add</button>
    <button type="button" onClick=${close}>Cancel</button>
    <${InUse} id=${names} typed=${name} />
    ${name.trim() && html`<${InUse} id=${values} typed=${written} of=${name} />`}
    ${isTaken && html`<p class="notice warn" role="status">The note has this property already.</p>`}
  </form>`;
}

/** @param {Property} props */
function Values({ is_list: areMany, items }) {
  const values = items.map((item, at) => html`<${Value} key=${at} ...${item} />`);
  if (!areMany) return values;
  return html`<ul class="values">${values.map((value, at) => html`<li key=${at} dir="auto">${value}</li>`)}</ul>`;
}

/** @param {Item} props */
function Value({ text, kind, target, subpath }) {
  if (kind === 'note') return html`<a href=${linkHash(target, subpath)}>${text}</a>`;
  if (kind === 'missing') return html`<a class="missing" href=${linkHash(target)}>${text}</a>`;
  if (kind === 'gone') return html`<span class="gone">${text}</span>`;
  if (kind === 'tag') return html`<a class="tag" href=${tagHash(target)}>${text}</a>`;
  if (kind === 'address') return html`<a href=${target} target="_blank" rel="noopener noreferrer">${text}</a>`;
  if (kind === 'file')
    return html`<button type="button" class="link" onClick=${() => openFile(target)}>${text}</button>`;
  return text;
}
