import PostalMime from 'postal-mime'
import type { Document } from '../../document.ts'
import { readMail, type ReadOther } from './mail.ts'

/** Parts inside parts of a message. */
const MOST_DEPTH = 50

/** A message as mail servers pass it on. Throws `no_text`, `too_large` or `damaged`. */
export async function readEml (bytes: Uint8Array, readOther: ReadOther): Promise<Document> {
  const { subject, text, html, attachments } = await PostalMime.parse(bytes, {
    maxNestingDepth: MOST_DEPTH, forceRfc822Attachments: true
  })
  return await readMail('eml', {
    subject: subject ?? null,
    text: text ?? null,
    html: html ?? null,
    attachments: attachments.map(({ filename, mimeType, content, disposition, related }) => ({
      name: filename ?? (mimeType === 'message/rfc822' ? 'message.eml' : ''),
      contentType: mimeType,
      bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
      isShownInside: related === true && disposition !== 'attachment' && /^image\//.test(mimeType)
    }))
  }, readOther)
}
