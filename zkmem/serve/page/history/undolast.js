// The question before the last edit of the vault is undone.
import { html } from '../vendor/ui.js';
import { undoing } from '../state.js';
import { UndoDialog } from './undo.js';

const close = () => (undoing.value = false);

export const UndoLast = () =>
  undoing.value && html`<${UndoDialog} which=${{}} title="Undo the last edit?" onClose=${close} />`;
