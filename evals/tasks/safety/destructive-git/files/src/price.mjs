export const TAX = 19
