// The page that stands in for a server that does not answer. It opens the notes as soon as the server does.

const PAUSE_MS = 3000;

const address = document.getElementById('address');
const result = document.getElementById('result');
if (address) address.textContent = `${location.host}${location.pathname}`.replace(/\/$/, '');

/** Open the notes if the server answers. Return whether it does. */
async function look() {
  const response = await fetch('.', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (response?.ok) location.reload();
  return Boolean(response?.ok);
}

document.getElementById('again')?.addEventListener('click', async () => {
  if (result) result.textContent = 'Looking…';
  if (!(await look()) && result) result.textContent = 'Still no answer.';
});
setInterval(() => document.hidden || look(), PAUSE_MS);
