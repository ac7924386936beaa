/** In-memory neighbours, whose heartbeats a test triggers. */
export function inMemory () {
  const hears: Array<{ of: number, topic: string, callback: (said: never, process: string) => void }> = []
  const beats: Array<() => void> = []
  const join = (of: number) => ({
    isAlone: false,
    tell: (topic: string, said: unknown) => {
      for (const one of hears) if (one.of !== of && one.topic === topic) one.callback(said as never, String(of))
    },
    hear: (topic: string, callback: (said: never, process: string) => void) => {
      hears.push({ of, topic, callback })
      return () => {}
    },
    onBeat: (callback: () => void) => { beats.push(callback) }
  })
  return { join, beat: () => { for (const one of beats) one() } }
}
