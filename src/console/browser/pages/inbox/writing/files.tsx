import { Paperclip, X } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import type { Attachment } from '../../../../../../schema/conversations.ts'
import { api } from '../../../api.ts'
import { fill, texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Failure } from '../../../ui/states.tsx'

const MOST_FILES = 5

/** Files that a person attaches to a reply: `ids` once they are uploaded. */
export function useFiles (id: string) {
  const { writing } = texts.value
  const [files, setFiles] = useState<Attachment[]>([])
  const input = useRef<HTMLInputElement>(null)
  const add = useAction(async (chosen: readonly File[]) => {
    const form = new FormData()
    for (const file of chosen.slice(0, MOST_FILES - files.length)) form.append('file', file, file.name)
    if (!form.has('file')) return
    const { data } = await api.post<Attachment[]>(`/conversations/${id}/attachments`, form)
    setFiles((before) => [...before, ...data])
  })
  return {
    ids: files.map((file) => file.id),
    isBusy: add.isBusy,
    clear: () => setFiles([]),
    button: (
      <>
        <input
          ref={input} type='file' multiple hidden
          onChange={({ currentTarget }) => {
            add.run([...currentTarget.files ?? []])
            currentTarget.value = ''
          }}
        />
        <IconButton
          label={writing.attach} icon={Paperclip} aria-busy={add.isBusy} disabled={files.length >= MOST_FILES}
          onClick={() => input.current!.click()}
        />
      </>
    ),
    strip: (
      <>
        {add.error && <Failure error={add.error} />}
        {files.length > 0 && (
          <ul class='plain tags'>
            {files.map((file) => (
              <li key={file.id}>
                <button
                  type='button' class='tag' aria-label={fill(writing.removeFile, { name: file.name })}
                  onClick={() => setFiles(files.filter((one) => one !== file))}
                >
                  <span class='cut' dir='auto'>{file.name}</span><X size={12} aria-hidden='true' />
                </button>
              </li>
            ))}
          </ul>
        )}
      </>
    )
  }
}
