import { render } from 'preact';
import { App } from './app.tsx';
import { applyTheme, chosenTheme } from './theme.ts';
import { adoptToken } from './token.ts';

adoptToken();
applyTheme(chosenTheme());
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
