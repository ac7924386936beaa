import { Parser } from 'htmlparser2'
import { escaped } from '../documents.ts'

/** Macros that are text with a frame around it. */
const FRAMES = new Set([
  'info', 'note', 'tip', 'warning', 'panel', 'expand', 'code', 'noformat', 'excerpt', 'section', 'column', 'details', 'quote',
  'success', 'error', 'ui-expand', 'ui-tab', 'ui-tabs', 'status', 'align', 'div'
])
/** The parameters of such a macro that are shown. */
const SHOWN = new Set(['title'])
/** Elements that are only for programs, or duplicates. */
const SILENT = new Set(['ac:task-id', 'ac:task-status', 'ac:task-uuid', 'ac:placeholder', 'ac:adf-attribute', 'ac:adf-fallback'])
const BLOCKS: Record<string, string> = {
  'ac:plain-text-body': 'pre', 'ac:rich-text-body': 'div', 'ac:task-list': 'ul', 'ac:task': 'li', 'ac:layout-cell': 'div'
}
const ATTRIBUTES = ['href', 'colspan', 'rowspan']
const NAMELESS = 'a macro without a name'

/**
 * A page in Confluence's storage format as HTML: text, tables, and contents of macros; `macros` names those whose
 * function is lost, and pictures.
 */
export function htmlOfStorage (storage: string): { html: string, macros: string[] } {
  const parts: string[] = []
  const lost = new Set<string>()
  const macros: string[] = []
  /** How many elements are open inside one that is not shown. */
  let silent = 0
  let isCdata = false
  /** The title of a link's target page, until the link has a text of its own. */
  let linked = ''
  const put = (text: string) => {
    if (silent === 0) parts.push(text)
  }
  const parser = new Parser({
    onopentag (name, attributes) {
      if (name === 'ac:structured-macro' || name === 'ac:macro') {
        const macro = attributes['ac:name'] ?? NAMELESS
        macros.push(macro)
        if (!FRAMES.has(macro)) lost.add(macro)
      }
      if (silent > 0 || SILENT.has(name) || (name === 'ac:parameter' && !isShown(macros.at(-1), attributes['ac:name']))) silent++
      else put(opening(name, attributes))
      if (name === 'ac:image') lost.add('pictures')
      if (name === 'ri:page') linked = attributes['ri:content-title'] ?? ''
      else if (name.startsWith('ac:') && name.includes('link')) linked = ''
    },
    onclosetag (name) {
      if (name === 'ac:structured-macro' || name === 'ac:macro') macros.pop()
      if (silent > 0) silent--
      else put(name === 'ac:link' ? linked : closing(name))
    },
    oncdatastart () {
      isCdata = true
    },
    oncdataend () {
      isCdata = false
    },
    ontext: (text) => put(isCdata ? escaped(text) : text)
  }, { xmlMode: true, decodeEntities: false })
  parser.end(storage)
  return { html: parts.join(''), macros: [...lost] }
}

const isShown = (macro = '', name = '') => FRAMES.has(macro) && SHOWN.has(name)

function opening (name: string, attributes: Record<string, string>): string {
  if (name === 'ac:parameter') return '<p>'
  if (name === 'time') return attributes.datetime ?? ''
  if (name.includes(':')) return BLOCKS[name] ? `<${BLOCKS[name]}>` : ''
  const kept = ATTRIBUTES.filter((one) => attributes[one] !== undefined)
  return `<${name}${kept.map((one) => ` ${one}="${attributes[one]!.replaceAll('"', '&quot;')}"`).join('')}>`
}

function closing (name: string): string {
  if (name === 'ac:parameter') return '</p>'
  if (name.includes(':')) return BLOCKS[name] ? `</${BLOCKS[name]}>` : ''
  return ['br', 'hr', 'img', 'col', 'time'].includes(name) ? '' : `</${name}>`
}
