export const MOST_ITEMS = 10
