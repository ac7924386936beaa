// Loaded first by `npm start`. A signal ends npm and the shell that it runs scripts in, but the shell forwards none:
// the server would be left running, with nobody to stop it. Once its parent is gone, it stops as if signalled.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 250).unref()

// Signalled already, it is not signalled again, for that would cut off what it is finishing.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    clearInterval(watch)
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  })
}
