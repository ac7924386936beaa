import { useId, useRef } from 'preact/hooks'
import { Copy } from 'lucide-preact'
import { texts } from '../texts/index.ts'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

/** Something to be handed on, such as a link or a secret, and a button that copies it. */
export function Secret ({ label, value, hint }: { label: string, value: string, hint?: string }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)

  async function copy () {
    field.current!.select()
    // Over plain http browsers have no clipboard to write to, but still know the command.
    const { clipboard } = navigator as { clipboard?: Clipboard }
    const isCopied = await clipboard?.writeText(value).then(() => true, () => false)
    if (!isCopied) document.execCommand('copy')
    toast(texts.value.ui.copied)
  }

  return (
    <div class='field'>
      <label for={id}>{label}</label>
      <div class='row'>
        <input
          id={id}
          ref={field}
          class='grow code'
          readOnly
          value={value}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button icon={Copy} onClick={() => { copy() }}>{texts.value.ui.copy}</Button>
      </div>
      {hint && <p class='hint' id={`${id}-hint`}>{hint}</p>}
    </div>
  )
}
