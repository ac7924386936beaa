import { Worker } from 'node:worker_threads'

// Runs in a thread of its own, because a parser that loops or allocates never lets the main thread's timers run.
const WATCH = `
const { workerData: { memory, cpu, parent } } = require('node:worker_threads')
setInterval(() => {
  const { user, system } = process.cpuUsage()
  if (process.memoryUsage.rss() > memory || user + system > cpu || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 20)
`

/**
 * In the sandbox's child: ends this process at once when it takes more memory than allowed (the heap's own limit does not
 * count buffers) or when the server that started it is gone and nobody would end it any more.
 */
export function watchOver ({ memoryMiB, deadlineMs }: { memoryMiB: number, deadlineMs: number }) {
  // The server's deadline is the one that counts; four cores busy for as long means that nobody keeps it.
  const workerData = { memory: memoryMiB * 2 ** 20, cpu: deadlineMs * 4 * 1000, parent: process.ppid }
  new Worker(WATCH, { eval: true, workerData, execArgv: [] }).unref()
}
