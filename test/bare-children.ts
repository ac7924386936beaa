/**
 * Imported by every test that starts processes. tap injects its own code into every child process, by the variables of
 * this process and once more as the child is spawned: the sandbox's children may read no files but ours and would crash
 * on it, and its coverage belongs to another form of the source than the one counted here, so that adding the two up
 * hides what was run. From here on children get only what they are given.
 */
const spawning = (globalThis as Record<symbol, { listeners: unknown[] } | undefined>)[
  Symbol.for('process-on-spawn@*:singletonId')
]
if (spawning) spawning.listeners = []
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_OPTIONS' || name === 'NODE_V8_COVERAGE' || name.startsWith('_TAPJS_')) delete process.env[name]
}
