// Loaded first by `npm start`. A signal ends npm and the shell that it runs scripts in, but the shell hands none on:
// the server would be left running, with nobody to stop it. Once whoever started it is gone, it stops as if told to.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 250).unref()

// Told already, it is not told again, for that would cut off what it is finishing.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    clearInterval(watch)
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  })
}
