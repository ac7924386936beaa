/** Where toasts are shown: at the first of these places, as `inset`, where they lie over no control. */
const LOW = 'calc(var(--foot) + 16px)'
const PLACES = [
  '16px 16px auto auto', '16px 0 auto 0', `auto 16px ${LOW} auto`, `auto 0 ${LOW} 0`, `auto auto ${LOW} 16px`
]
const CONTROLS = 'a, button, input, select, textarea, summary, label'
const STEP = 12

/** Whether a control is under it. Toasts let the pointer through, so what is found there lies below. */
function covers (toast: Element): boolean {
  const { left, right, top, bottom } = toast.getBoundingClientRect()
  for (let x = left; x < right + STEP; x += STEP) {
    for (let y = top; y < bottom + STEP; y += STEP) {
      if (document.elementFromPoint(Math.min(x, right), Math.min(y, bottom))?.closest(CONTROLS)) return true
    }
  }
  return false
}

/** Moves the toasts to where they cover no control; the first place, if there is none. */
export function place ({ style, children }: HTMLElement) {
  style.justifyContent = 'center'
  const free = PLACES.some((inset) => {
    style.inset = inset
    return ![...children].some(covers)
  })
  if (!free) style.inset = PLACES[0]!
}
