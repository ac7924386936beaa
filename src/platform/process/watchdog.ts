import { Worker } from 'node:worker_threads'
import { OVER_MEMORY } from './step.ts'

// Runs in a separate thread, because a parser that loops or allocates never lets the main thread's timers run.
const WATCH = `
const { workerData: { memory, parent } } = require('node:worker_threads')
const { writeSync } = require('node:fs')
setInterval(() => {
  const isOverMemory = process.memoryUsage.rss() > memory
  if (isOverMemory) writeSync(2, '${OVER_MEMORY}')
  if (isOverMemory || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}, 20)
`

/**
 * In the sandbox's child, where the system does not do it: ends this process at once when it exceeds its memory limit
 * (the heap's own limit does not count buffers) or when the server that started it is gone and nobody else would end
 * it.
 */
export function watchOver (memoryMiB: number) {
  const workerData = { memory: memoryMiB * 2 ** 20, parent: process.ppid }
  new Worker(WATCH, { eval: true, workerData, execArgv: [] }).unref()
}
