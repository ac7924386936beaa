/** Limits how many bytes are in use at the same time, in total and per account. */
interface Budget {
  /** Reserves bytes for an account. False, with nothing reserved, if there is no room. */
  take (account: number, bytes: number): boolean
  /**
   * Reserves bytes as soon as there is room, first come first served. False when there was none for `patienceMs`, or
   * `signal` aborted.
   */
  wait (account: number, bytes: number, patienceMs: number, signal: AbortSignal): Promise<boolean>
  /** Releases reserved bytes. */
  give (account: number, bytes: number): void
  /** Bytes in use in total. */
  used (): number
}

interface Waiting { account: number, bytes: number, granted: (room: boolean) => void }

/**
 * `most` in total, `perAccount` for each account. Anything larger than a limit is let in while nothing else is in use,
 * so that a limit delays but never shuts out.
 */
export function budgetOf ({ most, perAccount }: { most: number, perAccount: number }): Budget {
  const accounts = new Map<number, number>()
  const waiting: Waiting[] = []
  let total = 0

  const roomInAccount = (account: number, bytes: number) => {
    const used = accounts.get(account) ?? 0
    return used === 0 || used + bytes <= perAccount
  }

  function take (account: number, bytes: number): boolean {
    if (!roomInAccount(account, bytes) || (total > 0 && total + bytes > most)) return false
    total += bytes
    accounts.set(account, (accounts.get(account) ?? 0) + bytes)
    return true
  }

  /**
   * Admits waiting requests in order: may skip one whose own account is full, but never one that the total has no room
   * for.
   */
  function admit () {
    for (const one of [...waiting]) {
      if (!roomInAccount(one.account, one.bytes)) continue
      if (!take(one.account, one.bytes)) return
      one.granted(true)
    }
  }

  return {
    take,
    wait (account, bytes, patienceMs, signal) {
      return new Promise((resolve) => {
        const one: Waiting = {
          account,
          bytes,
          granted (room) {
            clearTimeout(timer)
            signal.removeEventListener('abort', givesUp)
            waiting.splice(waiting.indexOf(one), 1)
            resolve(room)
          }
        }
        const givesUp = () => {
          one.granted(false)
          admit()
        }
        const timer = setTimeout(givesUp, patienceMs)
        waiting.push(one)
        if (signal.aborted) return givesUp()
        signal.addEventListener('abort', givesUp)
        admit()
      })
    },
    give (account, bytes) {
      total -= bytes
      const left = (accounts.get(account) ?? 0) - bytes
      if (left > 0) accounts.set(account, left)
      else accounts.delete(account)
      admit()
    },
    used: () => total
  }
}
