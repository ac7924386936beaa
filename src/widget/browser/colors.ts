/** WCAG's minimum contrast of text. */
const READABLE = 4.5

/** White or black, whichever is readable; one of the two always is. White if both are. */
export function textOn (color: string): string {
  return contrast('#ffffff', color) >= READABLE ? '#ffffff' : '#000000'
}

/** WCAG's contrast of two colours: 1 to 21. */
export function contrast (one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance (color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
