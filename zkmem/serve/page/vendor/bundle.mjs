// Bundles the page's own scripts and styles into ../bundle: main.js and main.css for the first view, and a script for
// each `import()`, thread and frame; and each view in a chat as one HTML file. `node bundle.mjs [FOLDER]` writes into
// FOLDER instead.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const page = dirname(here);
const folder = resolve(process.argv[2] ?? join(page, 'bundle'));
const APART = ['early.js', 'graph/worker.js', 'drawing/codeworker.js', 'drawing/frame.js']; // and not in main.js
const VIEWS = { review: 'Review', map: 'Map' }; // in a chat; their titles
const IN_MAIN = /\/vendor\/(ui|stream|reading)\./; // the other packages stay files of their own
const MADE_FROM = /\.(js|mjs|css|html|svg|png|woff2|webmanifest|json)$/;
const SHARED = ['main.js', 'shell/parts.js']; // what scripts share is in these and in no third file
const ENTRY = 'the entry, which only imports ';
const OPTIONS = {
  absWorkingDir: page,
  outdir: folder,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none', // vendor/LICENSES.txt has them whole
  minifyWhitespace: true,
  minifySyntax: true, // names stay, for the messages of errors; that costs a tenth of what is sent
  lineLimit: 120, // a change of a script changes few lines of the bundle
  logLevel: 'warning',
  write: false,
  metafile: true,
};

/** Leaves what the pattern names where it is, below a folder that has the same files as the page's. */
const leaveOut = (filter) => ({
  name: 'leave out',
  setup({ onResolve }) {
    onResolve({ filter }, ({ path, resolveDir }) => {
      if (IN_MAIN.test(path)) return undefined;
      return { path: `./${relative(page, join(resolveDir, path)).replaceAll('\\', '/')}`, external: true };
    });
  },
});

/** Lets scripts import the shared ones, so that whatever these need, too, is in them and in no third file. */
const importShared = (scripts) => ({
  name: 'import shared scripts',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!scripts.includes(path)) return undefined;
      const shared = SHARED.map((one) => join(page, one)).filter((one) => one !== path);
      const imports = shared.map((one) => `import '${one}';\n`).join('');
      return { contents: imports + readFileSync(path, 'utf8'), loader: 'js' };
    });
  },
});

const read = (path) => readFileSync(join(page, path), 'utf8');
const index = read('index.html');
const styles = [...index.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)].map(([, path]) => path);
const at = `b/${digest()}/`;

const outputs = [
  ...(await mainAndLater()),
  ...(await apart()),
  ['main.css', await css()],
  ['index.html', html()],
  ...(await views()),
];
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of outputs) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Return the digest of all that the bundle is made from, as tests/serve/test_page_bundle.py computes it. */
function digest() {
  const sum = createHash('sha256');
  for (const path of sources().sort()) {
    const own = createHash('sha256')
      .update(readFileSync(join(page, path)))
      .digest('hex');
    sum.update(`${path} ${own}\n`);
  }
  return sum.digest('hex').slice(0, 16);
}

function sources(below = '') {
  return readdirSync(join(page, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below + entry.name;
    if (entry.isDirectory()) return ['node_modules', 'bundle'].includes(entry.name) ? [] : sources(`${path}/`);
    return MADE_FROM.test(path) ? [path] : [];
  });
}

/** Return main.js and the scripts that it loads later, by name. */
async function mainAndLater() {
  const options = { ...OPTIONS, entryPoints: ['main.js'], splitting: true };
  const first = await build({ ...options, plugins: [leaveOut(/\/vendor\//)] });
  const imports = Object.values(first.metafile.inputs).flatMap((one) => one.imports);
  const later = imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external);
  const plugins = [leaveOut(/\/vendor\//), importShared(later.map(({ path }) => join(page, path)))];
  const { outputFiles, metafile } = await build({ ...options, plugins });
  const names = new Map(Object.entries(metafile.outputs).map(([path, about]) => [basename(path), nameOf(about)]));
  if (new Set(names.values()).size < names.size) throw new Error(`two scripts of one name: ${[...names.values()]}`);
  return outputFiles
    .filter(({ path }) => !names.get(basename(path)).startsWith(ENTRY))
    .map(({ path, text }) => [names.get(basename(path)), [...names].reduce(renamed, whole(text))]);
}

/** Return a name that stays the same when the script changes. */
function nameOf({ entryPoint, inputs }) {
  if (SHARED.includes(entryPoint)) return ENTRY + basename(entryPoint);
  if (entryPoint) return basename(entryPoint);
  return basename(SHARED.find((path) => path in inputs) ?? Object.keys(inputs).sort()[0]);
}

/** Return a script with no line that ends within a text, as the limit of lines makes them. */
function whole(script) {
  return script.replaceAll('\\\n', '');
}

function renamed(text, [from, to]) {
  return text.replaceAll(`"./${from}"`, `"./${to.replace(ENTRY, '')}"`);
}

/** Return the scripts that run apart from the page, each with all that it needs. */
async function apart() {
  const leave = { external: ['../vendor/*'] };
  const { outputFiles } = await build({ ...OPTIONS, ...leave, entryPoints: APART, outbase: page });
  return outputFiles.map(({ path, text }) => [relative(folder, path).replaceAll('\\', '/'), whole(text)]);
}

/** Return all styles of index.html as one text. */
async function css() {
  const contents = styles.map((path) => `@import './${path}';`).join('\n');
  const stdin = { contents, resolveDir: page, loader: 'css' };
  return whole((await build({ ...OPTIONS, stdin, plugins: [leaveOut(/\.woff2$/)] })).outputFiles[0].text);
}

/** Return index.html with the bundle's files in place of the page's own. */
function html() {
  return index
    .replace(/ *<link rel="modulepreload".*\n/g, '')
    .replace('href="shell/parts.js"', `href="${at}parts.js"`)
    .replace('src="early.js"', `src="${at}early.js"`)
    .replace(/( *<link rel="stylesheet".*\n)+/, `    <link rel="stylesheet" href="${at}main.css">\n`)
    .replace('src="main.js"', `src="${at}main.js"`)
    .replace('href="icon.svg"', `href="data:image/svg+xml,${encodeURIComponent(read('icon.svg').trim())}"`);
}

/** Return the views in a chat, each as one HTML file that loads nothing. */
async function views() {
  const chat = join(page, 'chat');
  const frame = readFileSync(join(chat, 'view.html'), 'utf8');
  const built = async (name) =>
    whole((await build({ ...OPTIONS, entryPoints: [join(chat, name)] })).outputFiles[0].text);
  const style = await built('view.css');
  return Promise.all(
    Object.entries(VIEWS).map(async ([name, title]) => {
      const script = (await built(`${name}.js`)).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
      const parts = { title, style, script };
      return [`chat/${name}.html`, frame.replace(/{{(\w+)}}/g, (_, part) => parts[part])];
    }),
  );
}
