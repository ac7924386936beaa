/** When the panel fills the screen, as in its style sheet. */
const PHONE = '(max-width:480px),(max-height:499px)'

/** Handles keys, dropped files and the screen size for a panel; `stop` ends that. */
export function handle (
  panel: HTMLElement,
  root: ShadowRoot,
  { isPage, close, drop }: { isPage: boolean, close: () => void, drop: (files: FileList) => void }
): { fit: () => void, stop: () => void } {
  /** On a phone the panel fills the space left by the keyboard, and the page behind it is inert. */
  function fit () {
    const view = matchMedia(PHONE).matches && !isPage ? visualViewport : null
    panel.ariaModal = String(view !== null)
    panel.style.height = view ? `${view.height}px` : ''
    panel.style.top = view ? `${view.offsetTop}px` : ''
  }

  function keepInside (event: KeyboardEvent) {
    const stops = [...panel.querySelectorAll<HTMLElement>('*')].filter((one) => one.offsetParent && one.tabIndex >= 0)
    const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]]
    if (root.activeElement !== from) return
    event.preventDefault()
    to?.focus()
  }

  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !isPage) {
      event.stopPropagation()
      close()
    }
    if (event.key === 'Tab' && panel.ariaModal === 'true') keepInside(event)
  })
  const onFiles = (event: DragEvent) => {
    const files = event.dataTransfer
    if (!files?.types.includes('Files')) return
    event.preventDefault()
    if (event.type === 'drop') drop(files.files)
  }
  panel.addEventListener('dragover', onFiles)
  panel.addEventListener('drop', onFiles)
  visualViewport?.addEventListener('resize', fit)
  return { fit, stop: () => visualViewport?.removeEventListener('resize', fit) }
}
