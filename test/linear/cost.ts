import vm from 'node:vm'

/** Units in a text at first, and in the end. */
const [SMALL, LARGE] = [1600, 102_400]
/** What four times the text may cost: four times is linear and sixteen quadratic. */
const MOST = 9
/** What is no cost at any size, and what nothing that is tried may take, in milliseconds. */
const [NOTHING, GIVEN] = [4, 1000]

/** A text of about this many units for which something may be slow. */
export type Worst = (units: number) => string

/**
 * Whether processing a text is linear in its length. What is fast for the longest text is; otherwise the size is
 * quadrupled from a small one on, so that quadratic code fails while it is still fast, and anything worse is cut short.
 * Time is the CPU time of this thread alone, the minimum of five.
 */
export function isLinear (treat: (text: string) => unknown, worst: Worst, largest = LARGE): boolean {
  if (cost(treat, worst(largest), NOTHING * 2) <= NOTHING) return true
  let before = NOTHING / 4
  for (let units = SMALL; units <= largest; units *= 4) {
    const text = worst(units)
    let least = Infinity
    for (let go = 0; go < 8 && least > before * MOST / 2; go++) least = Math.min(least, cost(treat, text))
    if (least > before * MOST) return false
    before = Math.max(least, NOTHING / 4)
  }
  return true
}

const guarded = new vm.Script('guarded()')
const room = globalThis as { guarded?: (() => unknown) | undefined }

function cost (treat: (text: string) => unknown, text: string, timeout = GIVEN): number {
  room.guarded = () => treat(text)
  const began = process.threadCpuUsage()
  try {
    guarded.runInThisContext({ timeout })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return Infinity
  } finally {
    room.guarded = undefined
  }
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}
