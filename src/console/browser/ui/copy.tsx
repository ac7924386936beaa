import { useRef } from 'preact/hooks'
import { Copy } from 'lucide-preact'
import { texts } from '../texts/index.ts'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

/** A button that copies a text, and says whether it did. */
export function CopyButton ({ text, label }: { text: string, label: string }) {
  const place = useRef<HTMLSpanElement>(null)

  async function copy () {
    const { ui } = texts.value
    const { clipboard } = navigator as { clipboard?: Clipboard }
    const isCopied = await clipboard?.writeText(text).then(() => true, () => false)
    toast(isCopied || copyByCommand(text, place.current!) ? ui.copied : ui.notCopied)
  }

  return (
    <span ref={place}>
      <Button icon={Copy} onClick={() => { copy() }}>{label}</Button>
    </span>
  )
}

/**
 * Over plain http browsers have no clipboard API, but still support the copy command, which copies the selection. The
 * text is selected next to the button, since everything outside an open dialog is inert.
 */
function copyByCommand (text: string, place: HTMLElement): boolean {
  const field = document.createElement('textarea')
  field.value = text
  place.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  place.querySelector('button')!.focus()
  return isCopied
}
