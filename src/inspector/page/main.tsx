// The entry of the inspector's page.
import { render } from 'preact';

render(<p>Coppice</p>, document.body);
