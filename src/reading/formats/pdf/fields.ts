import type { Pdfium } from './pdfium.ts'

/** Kinds of annotations and of fields, and flags of both, as PDF numbers them. */
const FREE_TEXT = 3
const WIDGET = 20
const CHECKBOX = 2
const RADIO = 3
const VALUES = new Set([4, 5, 6])
const HIDDEN = 2
const NO_VIEW = 32
const PASSWORD = 1 << 13

/** What was filled into the form fields of a page, `name: value` each, and text that was written onto it. */
export function * fieldsOf (pdfium: Pdfium, page: number, form: number): Generator<string> {
  const { call } = pdfium
  const lines: string[] = []
  const count = call.FPDFPage_GetAnnotCount(page)
  for (let i = 0; i < count; i++) {
    const annotation = call.FPDFPage_GetAnnot(page, i)
    if (!annotation) continue
    const kind = call.FPDFAnnot_GetSubtype(annotation)
    if ((call.FPDFAnnot_GetFlags(annotation) & (HIDDEN | NO_VIEW)) === 0) {
      if (kind === FREE_TEXT) { yield pdfium.text((to, room) => call.FPDFAnnot_GetStringValue(annotation, 'Contents', to, room)) } else if (kind === WIDGET) lines.push(filled(pdfium, form, annotation))
    }
    call.FPDFPage_CloseAnnot(annotation)
  }
  yield lines.filter(Boolean).join('\n')
}

/** A field with what is in it; empty where that is nothing. */
function filled (pdfium: Pdfium, form: number, annotation: number): string {
  const { call } = pdfium
  if (call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) return ''
  const kind = call.FPDFAnnot_GetFormFieldType(form, annotation)
  const name = pdfium.text((to, room) => call.FPDFAnnot_GetFormFieldAlternateName(form, annotation, to, room)).trim() ||
    pdfium.text((to, room) => call.FPDFAnnot_GetFormFieldName(form, annotation, to, room)).trim()
  if (kind === CHECKBOX) return call.FPDFAnnot_IsChecked(form, annotation) ? `☑ ${name}` : ''
  if (kind === RADIO && !call.FPDFAnnot_IsChecked(form, annotation)) return ''
  if (kind !== RADIO && !VALUES.has(kind)) return ''
  const value = kind === RADIO
    ? pdfium.text((to, room) => call.FPDFAnnot_GetFormFieldExportValue(form, annotation, to, room))
    : pdfium.text((to, room) => call.FPDFAnnot_GetFormFieldValue(form, annotation, to, room))
  return value.trim() && `${name}: ${value.trim()}`
}
