/** How often work is tried: what else a machine does makes a turn longer, also in processor time, never shorter. */
const ROUNDS = 10

/**
 * The longest that some work holds the event loop at one stretch, in milliseconds of this thread's processor time.
 * The work is done again while that is above `enough`, ten times at most; the best round counts.
 */
export async function longestTurn (enough: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let round = 0; round < ROUNDS && best > enough; round++) best = Math.min(best, await longestOnce(work))
  return best
}

async function longestOnce (work: () => Promise<unknown>): Promise<number> {
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
