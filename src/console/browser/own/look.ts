import { signal } from '@preact/signals'

/** How the console looks: as the device wants it, or always light or dark. */
export const LOOKS = ['device', 'light', 'dark'] as const
export type Look = typeof LOOKS[number]

const KEY = 'agenthall-look'

/** What was chosen in this browser. */
export const look = signal<Look>('device')

/** Draws the console so from now on, in this browser. */
export function choose (wanted: Look) {
  try {
    localStorage.setItem(KEY, wanted)
  } catch {
    // Where nothing may be kept it holds until the page is closed.
  }
  show(wanted)
}

/** Draws the console as was chosen before; here, and in other tabs as soon as it is chosen there. */
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
  // Colours are pairs for light and dark: which one counts is this alone.
  document.documentElement.style.colorScheme = wanted === 'device' ? '' : wanted
  // What is drawn on a canvas is drawn anew.
  dispatchEvent(new Event('look'))
}
