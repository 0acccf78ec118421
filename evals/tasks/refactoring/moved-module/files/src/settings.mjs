export const zone = 'UTC'
