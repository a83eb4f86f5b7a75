// Bundles the third-party scripts of the page: one minified file for each in entries/, their fonts, and LICENSES.txt.
// `node build.mjs [FOLDER]` writes beside itself, or into FOLDER.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? here);
const entries = readdirSync(join(here, 'entries')).sort();

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: entries.map((entry) => `entries/${entry}`),
  outdir: folder,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  charset: 'utf8',
  loader: { '.woff2': 'file', '.woff': 'empty', '.ttf': 'empty' }, // every browser that has modules reads woff2
  assetNames: 'fonts/[name]',
  legalComments: 'none', // LICENSES.txt has them whole
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});

writeFileSync(join(folder, 'LICENSES.txt'), packagesOf(metafile).map(licence).join('\n'));

/** The folders of all packages of which something is in a bundle. */
function packagesOf({ inputs }) {
  const found = Object.keys(inputs).map((path) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(found.filter(Boolean))].sort();
}

function licence(path) {
  const about = JSON.parse(readFileSync(join(here, path, 'package.json'), 'utf8'));
  const file = readdirSync(join(here, path)).find((name) => /^licen[cs]e/i.test(name));
  const title = `${about.name} ${about.version} (${about.license})`;
  if (!file) throw new Error(`${title} comes without a licence text`);
  const text = readFileSync(join(here, path, file), 'utf8')
    .replaceAll('\r\n', '\n')
    .trim();
  return `${title}\n${'='.repeat(title.length)}\n\n${text}\n`;
}
