import { createRoot } from "react-dom/client";
import { ProductList } from "./products";

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(<ProductList />);
}
