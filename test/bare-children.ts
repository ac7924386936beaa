/**
 * Imported by every test that starts processes. tap puts code of its own into every child process, by the variables of
 * this process and once more as the child is made: the sandbox's children may read no files but ours and would fall
 * over it, and what it counts there belongs to another form of the source than the one it counts here, so that adding
 * the two up hides what was run. From here on children get only what they are given.
 */
const spawning = (globalThis as Record<symbol, { listeners: unknown[] } | undefined>)[
  Symbol.for('process-on-spawn@*:singletonId')
]
if (spawning) spawning.listeners = []
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_OPTIONS' || name === 'NODE_V8_COVERAGE' || name.startsWith('_TAPJS_')) delete process.env[name]
}
