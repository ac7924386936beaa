/** What the console says about the pages of a site, by the page that this comes with. */
export const en = {
  address: 'Address',
  depth: 'How many links away',
  depthHint: '0: this page only.',
  depthHintList: '0: only the pages on the list.',
  count: 'Maximum number of pages',
  refresh: 'Look again every',
  refreshHint: 'Hours. Empty: only when you ask.',
  include: 'Only pages at',
  includeHint: 'One path per line, such as /help/*, where * stands for anything. Empty: all pages.',
  exclude: 'Without pages at',
  excludeHint: 'In the same format, such as /blog/*. Excluded pages are never read.',
  change: 'Choose pages',
  changeTitle: 'Pages of {name}',
  changeHint: 'When you save, the site is read again. Pages no longer chosen are removed.',
  show: 'Show pages',
  showing: 'Checking the site. This takes up to 20 seconds.',
  which: 'Pages of which address',
  together: 'The maximum number of pages covers all {n} addresses together.',
  tried: '{url} was tried and cannot be reached. If the site has no https://, type http:// in front of the address.',
  stop: 'Stop',
  none: 'No page would be read.',
  one: '1 page would be read',
  some: '{n} pages would be read',
  atLeast: 'At least {n} pages would be read',
  onlyThis: 'With 0 links away it is this page alone.',
  more: 'Only part of the site was checked: there may be more pages.',
  stale: 'You have changed something since. Show the pages again.',
  left: 'Not read: {n}',
  why: {
    included: 'is read',
    not_included: 'is not under a chosen path',
    excluded: 'is left out',
    beyond_limit: 'exceeds the maximum number',
    robots: 'the site does not let programs read it',
    unreadable: 'cannot be read'
  },
  leaveOut: 'Leave out',
  takeIn: 'Read after all',
  sitemap: 'The site has a list of its pages (sitemap).',
  useSitemap: 'Use the list',
  full: 'No more than {n} lines. Put several pages into one line, such as /blog/*.'
}

/** What every language says. */
export type SiteTexts = typeof en
