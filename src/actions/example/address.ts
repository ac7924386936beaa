/**
 * Where the example shop is that every installation has within: a name that no network has (RFC 6761). What is sent
 * there leaves nowhere.
 */
export const EXAMPLE_SHOP = 'https://example-shop.invalid'
