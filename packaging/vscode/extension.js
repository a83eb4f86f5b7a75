// Starts `zkmem lsp` for each workspace folder that is a vault or in one, and connects the editor to it.
'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Uri, commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const MARKERS = ['.zkmem', '.obsidian']; // a folder with one of them is a vault, with all that is below it
const TOLD = 'toldOfNoVault';

/** @type {Map<string, LanguageClient>} the client of each workspace folder, by the folder's address */
const clients = new Map();

/** @type {import('vscode').LogOutputChannel} */
let log;

/** @type {import('vscode').Memento} what is kept for the next start of the editor */
let kept;

/** @type {Promise<unknown>} changes of `clients` wait for each other */
let changes = Promise.resolve();

/** @param {import('vscode').ExtensionContext} context */
function activate(context) {
  log = window.createOutputChannel('zkmem', { log: true });
  kept = context.globalState;
  context.subscriptions.push(
    log,
    commands.registerCommand('zkmem.restart', async () => {
      await kept.update(TOLD, undefined);
      await change(restartAll);
    }),
    workspace.onDidChangeWorkspaceFolders(() => change(update)),
    workspace.onDidGrantWorkspaceTrust(() => change(restartAll)), // the setting of the vault counts from now on
    workspace.onDidChangeConfiguration((event) => {
      if (['zkmem.command', 'zkmem.vault'].some((name) => event.affectsConfiguration(name))) change(restartAll);
    }),
  );
  return change(update);
}

function deactivate() {
  return change(stopAll);
}

/** Run a change of `clients` after those that were begun before it. @param {() => Promise<void>} work */
function change(work) {
  changes = changes.then(work).catch((error) => log.error(error));
  return changes;
}

async function restartAll() {
  await stopAll();
  await update();
}

async function stopAll() {
  const running = [...clients.values()];
  clients.clear();
  await Promise.all(running.map((client) => client.dispose().catch((error) => log.warn(error))));
}

/** Start a client for each workspace folder that has none, and stop those whose folder was closed. */
async function update() {
  const folders = workspace.workspaceFolders ?? [];
  const open = new Set(folders.map((folder) => folder.uri.toString()));
  for (const [uri, client] of clients) {
    if (open.has(uri)) continue;
    clients.delete(uri);
    await client.dispose().catch((error) => log.warn(error));
  }
  await Promise.all(folders.filter((folder) => !clients.has(folder.uri.toString())).map(start));
}

/** Start a client for a workspace folder, if it is a vault, is in one, or its settings name one. */
async function start(/** @type {import('vscode').WorkspaceFolder} */ folder) {
  const vault = vaultOf(folder);
  if (!vault) {
    await tellOfNoVault(folder.uri.fsPath);
    return;
  }
  const command = workspace.getConfiguration('zkmem', folder.uri).get('command') || 'zkmem';
  log.info(`Starting ${command} lsp for ${vault}`);
  const reason = await reasonAgainst(command, vault);
  if (reason) {
    log.error(reason);
    window.showErrorMessage(reason);
    return;
  }
  const client = clientOf(folder, vault, command);
  clients.set(folder.uri.toString(), client);
  try {
    await client.start();
  } catch (error) {
    log.error(`zkmem did not start: ${error instanceof Error ? error.message : error}`);
  }
}

/** Say that a folder is no vault: on the screen only once, for many folders with Markdown shall be none. */
async function tellOfNoVault(/** @type {string} */ folder) {
  const text =
    `${folder} is no vault of notes: neither it nor a folder above it has .zkmem or .obsidian. ` +
    'If it shall be one, run `zkmem init` in it, or set zkmem.vault; then run "zkmem: Restart the language server".';
  log.info(text);
  if (kept.get(TOLD)) return;
  await kept.update(TOLD, true);
  window.showInformationMessage(text);
}

/**
 * Return why the server cannot start, as a sentence; '' if it can. The client would show errors of its own, without the
 * reason. Without any input, the server ends at once.
 *
 * @param {string} command
 * @param {string} vault
 * @returns {Promise<string>}
 */
function reasonAgainst(command, vault) {
  return new Promise((resolve) => {
    const child = execFile(command, ['lsp', '--vault', vault], { cwd: os.homedir() }, (error, _, stderr) => {
      const said = stderr.split('Error: ').pop()?.trim();
      if (!error || error.code === 1) {
        resolve('');
      } else if (error.code === 'ENOENT') {
        resolve(
          `The program ${command} is not found. Install zkmem with its language server, or set zkmem.command to the ` +
            'full path of the program, then run "zkmem: Restart the language server".',
        );
      } else if (said?.startsWith("There is no command 'lsp'")) {
        resolve(
          `The program ${command} is too old: it has no language server. Update zkmem, with its extra \`lsp\`, ` +
            'then run "zkmem: Restart the language server".',
        );
      } else {
        resolve(`zkmem did not start. ${said || error.message}`);
      }
    });
    child.stdin?.on('error', () => {}); // the program may not exist, or may have ended
    child.stdin?.end();
  });
}

/** Return the folder with the notes; undefined if there is none. @param {import('vscode').WorkspaceFolder} folder */
function vaultOf(folder) {
  const setting = workspace.getConfiguration('zkmem', folder.uri).get('vault');
  if (typeof setting === 'string' && setting) {
    return path.resolve(folder.uri.fsPath, setting.replace(/^~(?=$|[/\\])/, os.homedir()));
  }
  for (let at = folder.uri.fsPath; ; at = path.dirname(at)) {
    if (MARKERS.some((name) => fs.existsSync(path.join(at, name)))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/**
 * Return a client for a vault, which is not started yet.
 *
 * @param {import('vscode').WorkspaceFolder} folder
 * @param {string} vault
 * @param {string} command
 */
function clientOf(folder, vault, command) {
  // Not in the workspace: Windows looks for a command in the current folder before it looks elsewhere.
  const options = { cwd: os.homedir() };
  const root = Uri.file(vault);
  const pattern = { baseUri: root.toString(), pattern: '**/*.md' };
  return new LanguageClient(
    'zkmem',
    'zkmem',
    { command, args: ['lsp', '--vault', vault], options },
    {
      documentSelector: [
        { scheme: 'file', pattern },
        { scheme: 'git', language: 'markdown', pattern }, // an old revision, as in a diff
      ],
      workspaceFolder: { uri: root, name: folder.name, index: folder.index },
      outputChannel: log,
    },
  );
}

module.exports = { activate, deactivate };
