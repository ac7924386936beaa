import type { ComponentType } from 'preact'
import type { LucideIcon } from 'lucide-preact'
import type { Permission } from '../../../schema/access.ts'
import type { Texts } from './texts/index.ts'

/** What a page is given: the parts of its address. */
export interface PageProps { params: Record<string, string> }

/** A page: where it is, who may open it, and the code that draws it, which comes when it is first opened. */
export interface Page {
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Any of these opens it; without it everybody may. */
  permissions?: Permission[]
  /** Its place in the menu. */
  nav?: { text: keyof Texts['nav'], icon: LucideIcon }
}

/** All pages, in the order of the menu. */
export const PAGES: Page[] = []
