/** The minimum resists guessing at the rate that locks allow; the maximum bounds the cost of hashing. */
export const passwordLength = { min: 12, max: 128 } as const;
