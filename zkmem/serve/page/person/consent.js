// The passkey button of the page on which a person gives a client access. Without it, the form takes a password.
import { CAN_USE_PASSKEYS, usePasskey } from './passkey.js';

const button = document.querySelector('#passkey');
const fault = document.querySelector('#passkey-fault');
const field = document.querySelector('input[name="passkey"]');

if (
  CAN_USE_PASSKEYS &&
  button instanceof HTMLButtonElement &&
  fault instanceof HTMLElement &&
  field instanceof HTMLInputElement
) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = fault.hidden = true;
    try {
      field.value = await usePasskey(JSON.parse(button.dataset.question ?? ''));
      field.form?.submit(); // without the name and the password, which the button of the form requires
    } catch (error) {
      fault.textContent = error instanceof Error ? error.message : String(error);
      fault.hidden = button.disabled = false;
    }
  });
}
