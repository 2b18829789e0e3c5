// The few signs on buttons, as paths in a box of 24.

export const PLAY = "M7 4.5v15l12.5-7.5z";
export const PAUSE = "M6.5 5h4v14h-4zM13.5 5h4v14h-4z";
export const STEP = "M6 5v14l9.5-7zM16.5 5h2.5v14h-2.5z";
export const RESET = "M12 5a7 7 0 1 1-6.7 5l2 .6A5 5 0 1 0 12 7v3.2L6.8 6.1 12 2z";
