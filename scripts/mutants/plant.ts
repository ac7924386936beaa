import { registerHooks } from 'node:module'

// Imported before a test by `npm run mutants`: one source file is loaded with a change, and is not changed on disk.

const { url, start, end, text } = JSON.parse(process.env.MUTANT!)
registerHooks({
  load (asked, context, next) {
    const loaded = next(asked, context)
    if (asked !== url) return loaded
    const source = String(loaded.source)
    return { ...loaded, source: source.slice(0, start) + text + source.slice(end) }
  }
})
