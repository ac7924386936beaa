import {
  existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build, transform, type BuildOptions, type Plugin } from 'esbuild'
import { languagesWith, textsIn } from '../../src/locales/list.ts'
import { MANIFEST, WEB, type Manifest } from '../../src/platform/http/web/files.ts'
import { packagesOf } from './packages.ts'
import { ROOT } from './root.ts'

/** One of the bundles that browsers load. Its files go to `build/web/<folder>`. */
export interface Part extends Pick<BuildOptions, 'format' | 'splitting' | 'jsx' | 'jsxImportSource' | 'loader'> {
  folder: string
  /** Visitors of other people's pages load it: each byte counts, so more time is spent on compressing it. */
  isCounted?: boolean
  /** Source file by its name in the manifest. */
  entries: Record<string, string>
}

/** The languages of the widget besides English, which comes with its scripts. */
const languages = languagesWith('widget').filter((language) => language !== 'en').sort()

/** The existing ones; a feature adds its own. */
const PARTS: Part[] = [
  // A classic script: it has to find the tag that loaded it, which modules cannot.
  { folder: 'widget', isCounted: true, format: 'iife', entries: { stub: 'src/widget/browser/stub.ts' } },
  {
    folder: 'widget',
    isCounted: true,
    format: 'esm',
    entries: {
      panel: 'src/widget/browser/panel.ts',
      form: 'src/widget/browser/panel/forms/gate.ts',
      actions: 'src/widget/browser/panel/forms/actions.ts',
      judge: 'src/widget/browser/panel/talk/judge.ts',
      rating: 'src/widget/browser/rating/rating.ts',
      table: 'src/widget/browser/panel/talk/table.ts',
      talk: 'src/widget/browser/panel/talk/talk.ts',
      ...Object.fromEntries(languages.map((language) => [`text-${language}`, `widget-texts:${language}`]))
    }
  },
  {
    folder: 'console',
    format: 'esm',
    splitting: true,
    entries: { main: 'src/console/browser/main.tsx', style: 'src/console/browser/style/style.css' },
    loader: { '.woff2': 'file' }
  },
  // A classic script as well: not every browser takes a module for a worker.
  { folder: 'console', format: 'iife', entries: { worker: 'src/console/browser/worker/worker.ts' } }
]

/** A script imports a style sheet as text, for adopted style sheets: those need no permission by any page's policy. */
const styles: Plugin = {
  name: 'styles',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /\.css$/ }, ({ kind, path: file, resolveDir }) =>
      kind === 'import-statement' ? { path: path.join(resolveDir, file), namespace: 'style' } : undefined
    )
    onLoad({ filter: /\.css$/, namespace: 'style' }, async ({ path: file }) => {
      const { code } = await transform(readFileSync(file, 'utf8'), { loader: 'css', minify: true })
      return { contents: code.trim(), loader: 'text' }
    })
  }
}

/**
 * A script imports a value of the server as plain JSON: `schema:agents#AgentPatch` is what schema/agents.ts exports by
 * that name, `src:…` the same below src/. That way requests are validated and forms built from the same definitions.
 */
const values: Plugin = {
  name: 'values',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:schema|src):/ }, ({ path: name }) => ({ path: name.replace(':', '/'), namespace: 'value' }))
    onLoad({ filter: /./, namespace: 'value' }, async ({ path: name }) => {
      const [file, exported] = name.split('#') as [string, string]
      const found = await import(pathToFileURL(path.join(ROOT, `${file}.ts`)).href) as Record<string, unknown>
      return { contents: JSON.stringify(found[exported]), loader: 'json' }
    })
  }
}

/** Its own entry: the widget's texts in a language, out of all that src/locales/ has in it. */
const texts: Plugin = {
  name: 'texts',
  setup ({ onResolve, onLoad }) {
    onResolve({ filter: /^widget-texts:/ }, ({ path: name }) =>
      ({ path: name.slice('widget-texts:'.length), namespace: 'widget-texts' }))
    onLoad({ filter: /./, namespace: 'widget-texts' }, ({ path: language }) =>
      ({ contents: `export default ${JSON.stringify(textsIn(language, 'widget'))}`, loader: 'js' }))
  }
}

/**
 * Builds what browsers load in `build/web`: content-hashed names, a brotli form of each file and a manifest. Existing
 * files are kept, so that a rebuild costs a tenth of a second; files no longer needed are removed. Several processes
 * may do it at once. Returns the folders of the packages that went into it.
 */
export async function buildWeb ({
  to = path.join(ROOT, WEB), parts = PARTS
}: { to?: string, parts?: readonly Part[] } = {}): Promise<string[]> {
  const manifest: Manifest = { entries: {}, files: [] }
  const used: string[] = []
  for (const part of parts) {
    const { outputFiles, metafile } = await bundlePart(part)
    for (const { path: file, contents } of outputFiles) {
      const name = path.posix.join(part.folder, path.basename(file))
      const { entryPoint, inputs } = metafile.outputs[path.relative(ROOT, file).replaceAll(path.sep, '/')]!
      const [entry] = Object.entries(part.entries).find(([, source]) => source === entryPoint) ?? []
      if (entry) manifest.entries[`${part.folder}/${entry}`] = name
      manifest.files.push(name)
      used.push(...Object.keys(inputs).map(fileOf))
      keep(path.join(to, name), contents, part.isCounted)
    }
  }
  manifest.files.sort()
  mkdirSync(to, { recursive: true })
  write(path.join(to, MANIFEST), JSON.stringify(manifest, null, 2) + '\n')
  sweep(to, manifest)
  return packagesOf(used)
}

/**
 * The input file of a bundle, relative to the project's folder; what a plugin has read has its kind and whole path as
 * name.
 */
const fileOf = (input: string) => path.relative(ROOT, path.resolve(ROOT, input.replace(/^[a-z]+:(?=\/)/, '')))
  .replaceAll(path.sep, '/')

async function bundlePart ({ folder, entries, isCounted: _isCounted, ...options }: Part) {
  return await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: file, out })),
    outdir: path.join(WEB, folder),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    plugins: [styles, values, texts],
    metafile: true,
    write: false,
    logLevel: 'warning',
    tsconfig: 'tsconfig.browser.json',
    ...options
  })
}

/** The name contains the content's hash, so an existing file is right. */
function keep (file: string, contents: Uint8Array, isCounted = false) {
  if (existsSync(file) && existsSync(`${file}.br`)) return
  write(`${file}.br`, packed(contents, isCounted ? [0, 4, 8, 12, 15] : [8]))
  write(file, contents)
}

/**
 * How brotli encodes distances makes half a percent, in which direction is unpredictable: the smallest form is used.
 */
function packed (contents: Uint8Array, directs: readonly number[]): Uint8Array {
  const forms = [0, 1, 2, 3].flatMap((postfix) => directs.map((direct) => brotliCompressSync(contents, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: contents.length,
      [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
      [constants.BROTLI_PARAM_NDIRECT]: direct << postfix
    }
  })))
  return forms.reduce((best, form) => (form.length < best.length ? form : best))
}

/** No concurrent reader sees half of it. */
function write (file: string, contents: Uint8Array | string) {
  mkdirSync(path.dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, contents)
  renameSync(draft, file)
}

/** How long files no longer needed are kept: another process may be building, or serving an earlier build. */
const LEFT_MS = 60_000

function sweep (to: string, { files }: Manifest) {
  const wanted = new Set([MANIFEST, ...files, ...files.map((file) => `${file}.br`)])
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isDirectory() || wanted.has(path.relative(to, file).replaceAll(path.sep, '/'))) continue
    if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > LEFT_MS) {
      rmSync(file, { force: true })
    }
  }
}
