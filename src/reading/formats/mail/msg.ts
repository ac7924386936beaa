import { decompressRTF } from '@kenjiuno/decompressrtf'
import msgreader, { type FieldsData } from '@kenjiuno/msgreader'
import { textOf, type Document } from '../../document.ts'
import { decode } from '../../decode.ts'
import { ExtractError } from '../../error.ts'
import { readRtf } from '../rtf/rtf.ts'
import { readMail, type ReadOther } from './mail.ts'

const { default: MsgReader } = msgreader

/** A message as Outlook saves it. Throws `no_text`, `too_large` or `damaged`. */
export async function readMsg (bytes: Uint8Array, readOther: ReadOther): Promise<Document> {
  const { buffer, byteOffset, byteLength } = bytes
  const reader = new MsgReader(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)
  const { subject, body, bodyHtml, html, compressedRtf, attachments = [], error } = reader.getFileData()
  if (error) throw new ExtractError('damaged')
  const page = bodyHtml ?? (html && decode(html))
  const text = body ?? (page || !compressedRtf ? null : fromRtf(compressedRtf))
  return await readMail('msg', {
    subject: subject ?? null,
    text,
    html: page ?? null,
    attachments: attachments.map((one) => ({ ...attached(reader, one), isShownInside: one.attachmentHidden === true }))
  }, readOther)
}

function fromRtf (compressed: Uint8Array): string {
  return textOf(readRtf(Uint8Array.from(decompressRTF([...compressed]))))
}

function attached (
  reader: InstanceType<typeof MsgReader>, attachment: FieldsData
): { name: string, contentType: string, bytes: Uint8Array } {
  const { fileName, content } = reader.getAttachment(attachment)
  return { name: fileName, contentType: attachment.attachMimeTag ?? '', bytes: content }
}
