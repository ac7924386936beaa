import { signal } from '@preact/signals'

/** The colour scheme of the console: as the device prefers, or always light or dark. */
export const LOOKS = ['device', 'light', 'dark'] as const
export type Look = typeof LOOKS[number]

const KEY = 'agenthall-look'

/** What was chosen in this browser. */
export const look = signal<Look>('device')

/** Applies and stores the scheme in this browser. */
export function choose (wanted: Look) {
  try {
    localStorage.setItem(KEY, wanted)
  } catch {
    // If storage is blocked it holds until the page is closed.
  }
  show(wanted)
}

/** Applies the scheme chosen earlier, and follows changes made in other tabs. */
export function followLook () {
  show(kept())
  addEventListener('storage', ({ key }) => { if (key === KEY) show(kept()) })
}

function kept (): Look {
  try {
    return LOOKS.find((one) => one === localStorage.getItem(KEY)) ?? 'device'
  } catch {
    return 'device'
  }
}

function show (wanted: Look) {
  look.value = wanted
  // Colours are pairs for light and dark; only this decides which one applies.
  document.documentElement.style.colorScheme = wanted === 'device' ? '' : wanted
  // Canvases are redrawn.
  dispatchEvent(new Event('look'))
}
