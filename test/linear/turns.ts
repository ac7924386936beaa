/**
 * The longest that some work holds the event loop at one stretch, in milliseconds of this thread's processor time:
 * whatever else the machine does does not count.
 */
export async function longestTurn (work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let began = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(began)
    longest = Math.max(longest, (user + system) / 1000)
    began = process.threadCpuUsage()
  }
  let isOver = false
  const watch = () => {
    look()
    if (!isOver) setImmediate(watch)
  }
  await new Promise((resolve) => setImmediate(resolve))
  began = process.threadCpuUsage()
  setImmediate(watch)
  try {
    await work()
  } finally {
    isOver = true
    look()
  }
  return longest
}
