// Says in a sentence that the Node running this is too old. Plain CommonJS, preloaded with --require, so that it runs
// before any TypeScript is read and before the native SQLite driver is loaded: on an older Node the first is a syntax
// error and the second ends the process without a word.
const wanted = 24
const major = Number(process.versions.node.split('.')[0])
/* c8 ignore start -- runs only on an older Node, in a process of its own: test/cli/process.test.ts starts it. */
if (major < wanted) {
  process.stderr.write(
    `Agenthall needs Node ${wanted} or newer and this is Node ${process.versions.node}. ` +
    'Run it through npm ("npm ci", then "npm start"), which brings its own Node, or install a newer one.\n')
  process.exit(1)
}
/* c8 ignore stop */
