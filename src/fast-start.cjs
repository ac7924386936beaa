// Loaded before the program where it runs from source. Without it everything works, only the start takes longer. On an
// older Node check-node.cjs has handed over to ours, which loads this again.
const path = require('node:path')
const { enableCompileCache, flushCompileCache, registerHooks } = require('node:module')

// Keeps what Node makes of the .ts files, so that from the second start on neither types are stripped nor the part of
// Node loaded that strips them (40 MB). In the installation and not in the temporary directory, where others may write.
// Not while coverage is counted, which it blurs.
if (!process.env.NODE_V8_COVERAGE && registerHooks) {
  enableCompileCache(path.join(__dirname, '../node_modules/.cache/agenthall'))
  // Otherwise written only when a process exits normally, which a server that is killed never does.
  setTimeout(flushCompileCache, 2000).unref()
}

// For each ES module of a package Node reads its package.json again, and drizzle-orm's has 180 KB: 0.4 s and
// 100 MB. Its CommonJS build is the same code and spares that; that of @sinclair/typebox takes 3 MB less.
registerHooks?.({
  resolve: (specifier, context, next) => next(specifier, /^(drizzle-orm|@sinclair\/typebox)/.test(specifier)
    ? { ...context, conditions: ['node', 'require'] }
    : context)
})
