/** Where the panel is the whole screen, as its sheet has it. */
const PHONE = '(max-width:480px),(max-height:499px)'

/** What a panel does with keys, with files that are dropped on it, and with the size of the screen; `stop` ends it. */
export function handle (
  panel: HTMLElement,
  root: ShadowRoot,
  { isPage, close, drop }: { isPage: boolean, close: () => void, drop: (files: FileList) => void }
): { fit: () => void, stop: () => void } {
  /** On a phone the panel is as large as what the keyboard leaves, and the page behind it is out of reach. */
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
