import { useState } from 'preact/hooks'
import type { Attachment } from '../../../../../../schema/conversations.ts'
import { fill, shownBytes, texts } from '../../../texts/index.ts'
import { Dialog } from '../../../ui/dialog.tsx'

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i

/** Whether a file is an image that this page may show: images from other origins are blocked. */
const isShown = ({ name, url }: Attachment) =>
  PICTURE.test(name) && new URL(url, location.href).origin === location.origin

/** Files of a message: images as thumbnails that open in a dialog, others by name. */
export function Attached ({ attachments }: { attachments: readonly Attachment[] }) {
  const { writing } = texts.value
  const [opened, open] = useState<Attachment>()
  const pictures = attachments.filter(isShown)
  const others = attachments.filter((file) => !isShown(file))
  return (
    <>
      {pictures.length > 0 && (
        <ul class='plain pictures'>
          {pictures.map((file) => (
            <li key={file.id}>
              <button
                type='button' class='thumb' aria-label={fill(writing.openPicture, { name: file.name })}
                onClick={() => open(file)}
              >
                <img src={file.url} alt='' loading='lazy' />
              </button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && <ul class='plain'>{others.map((file) => <li key={file.id}><Download file={file} /></li>)}</ul>}
      {opened && (
        <Dialog title={opened.name} wide onClose={() => open(undefined)}>
          <img class='picture' src={opened.url} alt={opened.name} />
          <p><Download file={opened} /></p>
        </Dialog>
      )}
    </>
  )
}

function Download ({ file: { name, url, bytes } }: { file: Attachment }) {
  return (
    <>
      <a href={url} target='_blank' rel='noopener noreferrer' download={name}>{name}</a>{' '}
      <span class='quiet'>{shownBytes(bytes)}</span>
    </>
  )
}
