import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { Upload } from 'lucide-preact'
import { fill, texts } from '../../texts/index.ts'

/**
 * A file field in the reader's language, since browsers label theirs in their own. The native input lies on top, so
 * that files can be dropped on it and its validation messages appear next to it.
 */
export function FileField ({ input, accept, ...rest }: {
  input: RefObject<HTMLInputElement | null>, accept: string, id?: string, 'aria-describedby'?: string, 'aria-invalid'?: boolean
}) {
  const { bring } = texts.value
  const [names, setNames] = useState<string[]>([])
  return (
    <span class='file-field'>
      <span class='button' aria-hidden='true'><Upload size={16} />{bring.chooseFiles}</span>
      <span class='quiet cut' aria-hidden='true'>
        {names.length > 2 ? fill(bring.filesChosen, { count: names.length }) : names.join(', ') || bring.noFile}
      </span>
      <input
        {...rest} ref={input} type='file' required multiple accept={accept} title=''
        onChange={({ currentTarget }) => setNames([...currentTarget.files ?? []].map(({ name }) => name))}
      />
    </span>
  )
}
