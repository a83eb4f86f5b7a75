// The question whether to undo the last edit of the vault.
import { html } from './vendor/ui.js';
import { undoing } from './state.js';
import { UndoDialog } from './undodialog.js';

const close = () => (undoing.value = false);

export const UndoLast = () => undoing.value && html`<${UndoDialog} which=${{}} onClose=${close} />`;
