/** The encodings of the old letters in RTF, by code page and by the number of a font's character set. */
const PAGES: Record<number, string> = {
  874: 'windows-874', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 10000: 'macintosh', 65001: 'utf-8'
}
const CHARACTER_SETS: Record<number, number> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250
}

/** The label of the encoding that a code page is. */
export function pageLabel (page: number): string {
  return PAGES[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252')
}

/** The label of the encoding of a font's character set; undefined where that says nothing. */
export function characterSetLabel (set: number): string | undefined {
  const page = CHARACTER_SETS[set]
  return page === undefined ? undefined : pageLabel(page)
}

/** Letters that RTF writes as words. */
export const NAMED: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: '\u2003',
  enspace: '\u2002',
  qmspace: '\u2005',
  zwj: '\u200D',
  zwnj: '\u200C',
  ltrmark: '\u200E',
  rtlmark: '\u200F'
}

/** Parts of a file that are no text of the document. */
export const BESIDE = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf themedata colorschememapping ' +
    'listtable listoverridetable rsidtbl revtbl xmlnstbl datastore latentstyles fldinst generator atnid atnauthor atntime atnref atndate annotation ' +
    'nonshppict pgptbl filetbl background bkmkstart bkmkend sp tc xe private mmathPr wgrffmtfilter'
  ).split(' ')
)
/** Parts that programs may pass over, as `\*` says, yet which hold text. */
export const KEPT_PARTS = new Set(['shpinst', 'shptxt', 'footnote', 'ud', 'upr', 'pntext', 'listtext', 'htmltag'])
