/**
 * Imported by tests that start the sandbox. tap puts code of its own into the environment of every child process; the
 * sandbox's children may read no files but ours and would fall over it. From here on children get only what they are given.
 */
const spawning = (globalThis as Record<symbol, { listeners: unknown[] } | undefined>)[Symbol.for('process-on-spawn@*:singletonId')]
if (spawning) spawning.listeners = []
