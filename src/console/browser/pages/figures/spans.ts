const UNITS = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000], ['second', 1000]] as const

/** How long something took, in the largest unit of which there are at least two: "90 minutes", "3 days". */
export function spanOf (ms: number): { value: number, unit: typeof UNITS[number][0] } {
  const [unit, size] = UNITS.find(([, size]) => ms >= 2 * size) ?? ['second', 1000]
  return { value: ms / size, unit }
}
