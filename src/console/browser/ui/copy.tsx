import { useState } from 'preact/hooks'
import { Check, Copy } from 'lucide-preact'
import { texts } from '../texts/index.ts'
import { Button } from './button.tsx'

/** A button that copies a text and says that it did. */
export function CopyButton ({ text, label }: { text: string, label: string }) {
  const [isCopied, setCopied] = useState(false)

  async function copy () {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  // Without https, but for localhost, browsers hand out no clipboard: then the text is there to be selected.
  if (!('clipboard' in navigator)) return null
  return (
    <Button icon={isCopied ? Check : Copy} onClick={() => { copy() }} onBlur={() => setCopied(false)}>
      {isCopied ? texts.value.ui.copied : label}
    </Button>
  )
}
